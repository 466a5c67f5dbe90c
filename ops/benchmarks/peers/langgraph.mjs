// SPDX-License-Identifier: Apache-2.0
// LangGraph.js: conversations of some rounds, each with a node of the model and one of its tool, neither of which
// asks anybody. A step is a node, whose checkpoint PostgreSQL has before the next one begins (durability "sync").
import { HumanMessage, AIMessage, ToolMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { counts, expect_equal, measured } from './measured.mjs';

const rounds = Number(process.argv[3]);

function model(state) {
  counts.steps += 1;
  const call = { name: 'query_database', args: { sql: 'SELECT 1' }, id: `call-${state.messages.length}` };
  return { messages: [new AIMessage({ content: '', tool_calls: [call] })] };
}

function tool(state) {
  counts.steps += 1;
  const call = state.messages.at(-1).tool_calls[0];
  return { messages: [new ToolMessage({ content: '{sum}:\n  5', tool_call_id: call.id })] };
}

const saver = PostgresSaver.fromConnString(process.env.PEER_POSTGRES_URL);
await saver.setup();
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', model)
  .addNode('tool', tool)
  .addEdge(START, 'model')
  .addEdge('model', 'tool')
  .addConditionalEdges('tool', (state) => (state.messages.length > 2 * rounds ? END : 'model'), [END, 'model'])
  .compile({ checkpointer: saver });

await measured(
  async (name) => {
    const state = await graph.invoke(
      { messages: [new HumanMessage('how many?')] },
      { configurable: { thread_id: name }, durability: 'sync', recursionLimit: 2 * rounds + 5 },
    );
    expect_equal(state.messages.length, 2 * rounds + 1, `messages of ${name}`);
  },
  () => saver.end(),
);
