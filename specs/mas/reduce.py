from workflow import AgentNode, Workflow

workflow = Workflow(name="reduce twice")
workflow.add_node(AgentNode(name="reduce"))
workflow.add_node(AgentNode(name="reduce"))
result = workflow.run(question)
print(result.content)
