from workflow import AgentNode, Workflow

workflow = Workflow(name="one agent")
workflow.add_node(AgentNode(name="solver", system_prompt="Solve the problem step by step."))
print(workflow.run(question).content)
