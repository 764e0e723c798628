"""Views of the store: what people ask most, as plain SQL.

Honest intervals, in one place:

- A run's evaluation is a mean over questions. Executions of one question are
  not independent, so its standard error is that of the mean over *question
  means* (clustered by question), and its interval is a Wilson score interval
  on the effective number of answers p(1-p)/se^2, with Student's t of
  questions - 1 in place of 1.96. Where all questions agree that number is not
  defined, and the number of questions is taken.
- An arm is a mean over seeds. Its interval is mean +- t(seeds - 1) * sd/sqrt(seeds)
  over the runs' accuracies; with one seed there is none (null). Few seeds,
  wide intervals.
- A difference to the baseline is paired by seed: the same seed has the same
  questions and the same cold start. Its interval is that of the mean of the
  paired differences.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """A view: name, query, meaning."""

    name: str
    sql: str
    doc: str


SPREAD = "nullif(round(stddev_samp({of}), 12), 0)"
"""Standard deviation of a sample, in SQL; null where all values are equal, which says nothing of how they vary."""

_T = "(SELECT max_by(t975, df) FROM t_quantiles WHERE df <= {df})"
"""Two-sided 95 % quantile for a number of degrees of freedom; null below 1."""

VIEWS: tuple[View, ...] = (
    View(
        "nodes",
        """
        SELECT run, step, evaluation, path, NULL::VARCHAR AS parent, 'question' AS level, NULL::VARCHAR AS role
        FROM questions
        UNION ALL SELECT run, step, evaluation, path, parent, 'design', role FROM designs
        UNION ALL SELECT run, step, evaluation, path, parent, 'execution', NULL FROM executions
        UNION ALL SELECT run, step, evaluation, path, parent, 'call', role FROM calls
        """,
        "Every node of every tree: questions, designs, executions, calls.",
    ),
    View(
        "experiments",
        """
        SELECT name AS experiment, count(DISTINCT cell) AS cells, count(*) AS runs,
            count(*) FILTER (state = 'done') AS done, min(created) AS first_created, max(heartbeat) AS last_heartbeat
        FROM runs GROUP BY name
        """,
        "Runs by the name of their spec.",
    ),
    View(
        "run_lineage",
        """
        WITH RECURSIVE own AS (
            SELECT l.* FROM lineage l
            WHERE l.take = 'all' AND NOT EXISTS (
                FROM attempts a WHERE a.run = l.child AND a.from_step < l.step
                    AND a.attempt = (SELECT max(attempt) FROM attempts WHERE run = l.child))
        ), chain AS (
            SELECT run, run AS ancestor, NULL::BIGINT AS upto, 0 AS depth FROM runs
            UNION ALL
            SELECT c.run, o.parent, least(c.upto, o.step), c.depth + 1
            FROM chain c JOIN own o ON o.child = c.ancestor WHERE c.depth < 100
        )
        SELECT * FROM chain
        """,
        "A run, and the runs that it went on from, each with the number of steps taken over (null: all).",
    ),
    View(
        "run_evaluations",
        """
        SELECT l.run, e.run AS recorded_by, e.* EXCLUDE (run)
        FROM run_lineage l JOIN evaluations e ON e.run = l.ancestor AND (l.upto IS NULL OR e.step <= l.upto)
        QUALIFY row_number() OVER (PARTITION BY l.run, e.step, e.evaluation, e.name ORDER BY l.depth) = 1
        """,
        "Evaluations of a run, those of the prefix that it went on from included.",
    ),
    View(
        "run_steps",
        """
        SELECT l.run, s.run AS recorded_by, s.* EXCLUDE (run)
        FROM run_lineage l JOIN steps s ON s.run = l.ancestor AND (l.upto IS NULL OR s.step < l.upto)
        QUALIFY row_number() OVER (PARTITION BY l.run, s.step, s.role, s.metric ORDER BY l.depth) = 1
        """,
        "Metrics of a run's steps, those of the prefix that it went on from included.",
    ),
    View(
        "run_stages",
        """
        SELECT l.run, s.run AS recorded_by, s.* EXCLUDE (run)
        FROM run_lineage l JOIN stages s ON s.run = l.ancestor AND (l.upto IS NULL OR s.last_step < l.upto)
        QUALIFY row_number() OVER (PARTITION BY l.run, s.last_step ORDER BY l.depth) = 1
        """,
        "Finished stretches of steps of a run, those of the prefix that it went on from included.",
    ),
    View(
        "evaluation_questions",
        """
        SELECT run, step, evaluation, split_part(path, '/', 1) AS question, count(*) AS executions,
            avg((answer_verdict = 'correct')::INTEGER) AS accuracy
        FROM executions WHERE evaluation IS NOT NULL
        GROUP BY run, step, evaluation, question
        """,
        "Share of right answers of each question of an evaluation; `question` is its path.",
    ),
    View(
        "evaluation_intervals",
        f"""
        WITH means AS (
            SELECT run, step, evaluation, avg(accuracy) AS accuracy, count(*) AS questions,
                stddev_samp(accuracy) / sqrt(count(*)) AS se_questions
            FROM evaluation_questions GROUP BY run, step, evaluation
        ), sized AS (
            SELECT *, CASE WHEN se_questions > 0 THEN accuracy * (1 - accuracy) / se_questions ** 2
                ELSE questions END AS n, {_T.format(df="questions - 1")} AS t
            FROM means
        )
        SELECT run, step, evaluation, accuracy, questions, se_questions,
            greatest(0, (accuracy + t * t / (2 * n) - t * sqrt(accuracy * (1 - accuracy) / n + t * t / (4 * n * n)))
                / (1 + t * t / n)) AS low,
            least(1, (accuracy + t * t / (2 * n) + t * sqrt(accuracy * (1 - accuracy) / n + t * t / (4 * n * n)))
                / (1 + t * t / n)) AS high
        FROM sized
        """,
        "95 % interval of an evaluation in one run, clustered by question (Wilson on the effective number of answers).",
    ),
    View(
        "learning_curve",
        """
        WITH trained AS (
            SELECT run, step, string_agg(DISTINCT role, ',' ORDER BY role) AS trained
            FROM run_steps WHERE role IS NOT NULL GROUP BY run, step
        )
        SELECT s.sweep, s.arm, coalesce(s.seed, r.seed) AS seed, e.run, e.step, e.stage, e.stage_step,
            t.trained, e.moment, e.name, e.benchmark, e.split, e.accuracy, i.low, i.high, e.valid_designs,
            e.calls_per_execution, e.tokens_per_execution
        FROM run_evaluations e
        JOIN runs r ON r.run = e.run
        LEFT JOIN sweep_runs s ON s.run = e.run
        LEFT JOIN trained t ON t.run = e.run AND t.step = e.step - 1
        LEFT JOIN evaluation_intervals i
            ON i.run = e.recorded_by AND i.step = e.step AND i.evaluation = e.evaluation
        ORDER BY s.sweep, s.arm_order, seed, e.run, e.step, e.name, e.benchmark
        """,
        "Evaluations over the steps of a run, with who was trained just before, for every arm that the run stands for.",
    ),
    View(
        "final_evaluations",
        """
        WITH whole AS (
            SELECT s.sweep, s.arm, s.seed, e.run, e.recorded_by, e.step, e.name, e.evaluation, e.moment, e.accuracy,
                e.executions, e.calls_per_execution, e.tokens_per_execution, e.valid_designs
            FROM sweep_runs s JOIN runs r USING (run) JOIN run_evaluations e USING (run)
            WHERE r.state = 'done'
        ), named AS (
            SELECT sweep,
                min_by(name, (CASE name WHEN 'test' THEN 0 WHEN 'final' THEN 1 ELSE 2 END, -last, name)) AS name
            FROM (SELECT sweep, name, max(step) AS last FROM whole WHERE moment = 'end' OR name IN ('test', 'final')
                GROUP BY sweep, name)
            GROUP BY sweep
        )
        SELECT sweep, arm, seed, run, recorded_by, step, name, evaluation, accuracy, executions, valid_designs,
            calls_per_execution, tokens_per_execution
        FROM whole JOIN named USING (sweep, name)
        QUALIFY step = max(step) OVER (PARTITION BY sweep, arm, seed)
        """,
        "The evaluation that a sweep is judged by, at the end of every finished run: `test`, else `final`, "
        "else the last one at `end`; one row a benchmark.",
    ),
    View(
        "ablation_seeds",
        """
        SELECT sweep, arm, seed, run, any_value(step) AS step, any_value(name) AS evaluation,
            sum(accuracy * executions) / sum(executions) AS accuracy,
            sum(valid_designs * executions) / sum(executions) AS valid_designs,
            sum(calls_per_execution * executions) / sum(executions) AS calls_per_execution,
            sum(tokens_per_execution * executions) / sum(executions) AS tokens_per_execution
        FROM final_evaluations GROUP BY sweep, arm, seed, run
        """,
        "Final held-out accuracy of every finished run of a sweep, over all benchmarks of the evaluation.",
    ),
    View(
        "ablation_detail",
        f"""
        WITH planned AS (
            SELECT s.sweep, s.arm, s.is_baseline, min(s.arm_order) AS arm_order, count(*) AS seeds_planned,
                count(*) FILTER (r.state = 'done') AS done,
                count(*) FILTER (r.state IS DISTINCT FROM 'done') AS unfinished,
                count(*) FILTER (r.state = 'failed') AS failed
            FROM sweep_runs s LEFT JOIN runs r USING (run) GROUP BY s.sweep, s.arm, s.is_baseline
        ), made AS (
            SELECT p.sweep, p.arm, count(DISTINCT r.code_hash) > 1 AS mixed_code
            FROM planned p JOIN sweep_runs s ON s.sweep = p.sweep AND (s.arm = p.arm OR s.is_baseline)
            JOIN runs r ON r.run = s.run GROUP BY p.sweep, p.arm
        ), own AS (
            SELECT sweep, arm, any_value(evaluation) AS evaluation, count(*) AS seeds, avg(accuracy) AS accuracy,
                {SPREAD.format(of="accuracy")} / sqrt(count(*)) AS se_seeds, avg(valid_designs) AS valid_designs,
                avg(calls_per_execution) AS calls_per_execution, avg(tokens_per_execution) AS tokens_per_execution
            FROM ablation_seeds GROUP BY sweep, arm
        ), by_question AS (
            SELECT sweep, arm, avg(q.accuracy) AS accuracy
            FROM final_evaluations f
            JOIN evaluation_questions q ON q.run = f.recorded_by AND q.step = f.step AND q.evaluation = f.evaluation
            JOIN questions o ON o.run = q.run AND o.step = q.step AND o.evaluation = q.evaluation
                AND o.path = q.question
            GROUP BY sweep, arm, o.benchmark, o.row_hash
        ), clustered AS (
            SELECT sweep, arm, count(*) AS questions, stddev_samp(accuracy) / sqrt(count(*)) AS se_questions
            FROM by_question GROUP BY sweep, arm
        ), paired AS (
            SELECT a.sweep, a.arm, count(*) AS pairs, avg(a.accuracy - b.accuracy) AS difference,
                {SPREAD.format(of="a.accuracy - b.accuracy")} / sqrt(count(*)) AS se, bool_and(a.run = b.run) AS same
            FROM ablation_seeds a
            JOIN ablation_seeds b ON b.sweep = a.sweep AND b.seed = a.seed
            JOIN sweeps s ON s.sweep = b.sweep AND s.baseline = b.arm
            GROUP BY a.sweep, a.arm
        ), quantiles AS (
            SELECT n, {_T.format(df="n - 1")} AS t
            FROM (SELECT DISTINCT seeds AS n FROM own UNION SELECT DISTINCT pairs FROM paired)
        )
        SELECT p.sweep, p.arm, p.is_baseline, o.evaluation, coalesce(o.seeds, 0) AS seeds, o.accuracy,
            o.accuracy - t.t * o.se_seeds AS low, o.accuracy + t.t * o.se_seeds AS high, c.se_questions, c.questions,
            CASE WHEN NOT d.same THEN d.difference END AS difference,
            CASE WHEN NOT d.same THEN d.difference - u.t * d.se END AS difference_low,
            CASE WHEN NOT d.same THEN d.difference + u.t * d.se END AS difference_high,
            CASE WHEN NOT d.same THEN d.pairs END AS pairs,
            o.valid_designs, o.calls_per_execution, o.tokens_per_execution, p.unfinished, p.failed,
            m.mixed_code
        FROM planned p LEFT JOIN made m USING (sweep, arm)
        LEFT JOIN own o USING (sweep, arm) LEFT JOIN clustered c USING (sweep, arm)
        LEFT JOIN paired d USING (sweep, arm)
        LEFT JOIN quantiles t ON t.n = o.seeds LEFT JOIN quantiles u ON u.n = d.pairs
        ORDER BY p.sweep, p.arm_order
        """,
        "One row an arm: held-out accuracy at the end, mean over seeds with its 95 % interval (t over seeds; null "
        "with one seed, or where all seeds agree to the last digit), standard error clustered by question, difference "
        "to the baseline paired by seed with its interval (null for the baseline and its aliases), calls and response "
        "tokens an execution, unfinished runs.",
    ),
    View(
        "ablation",
        """
        SELECT sweep, arm, seeds, seeds + unfinished AS planned, accuracy, low, high, difference AS diff,
            difference_low AS diff_low, difference_high AS diff_high, calls_per_execution AS calls,
            tokens_per_execution AS tokens
        FROM ablation_detail
        """,
        "`ablation_detail` at the width of a terminal: one row an arm, the baseline first as the spec has it; "
        "accuracy over finished seeds, difference to the baseline paired by seed, each with its 95 % interval.",
    ),
)
"""In the order in which they can be created."""
