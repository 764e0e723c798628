from workflow import AgentNode, Workflow
from workflow.nodes import ReflectionNode

coder = AgentNode(name="coder", system_prompt="Write a program that solves the problem.")
tester = AgentNode(name="tester", system_prompt="Write tests for the program; say CORRECT, or INCORRECT and why.")
workflow = Workflow(name="coder and tester")
workflow.add_node(ReflectionNode(name="refine", agent=coder, critic_agent=tester, num_iterations=3))
print(workflow.run(question).content)
