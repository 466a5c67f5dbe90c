// SPDX-License-Identifier: Apache-2.0
// DBOS: workflows of some steps. A step is a row with its result in PostgreSQL before the next one begins.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { counts, expect_equal, measured } from './measured.mjs';

const steps = Number(process.argv[3]);

async function step(number) {
  return { number, text: 'x'.repeat(200) };
}

async function workflow() {
  let sum = 0;
  for (let number = 0; number < steps; number += 1) {
    const { number: done } = await DBOS.runStep(() => step(number), { name: 'step' });
    counts.steps += 1;
    sum += done;
  }
  return sum;
}

const registered = DBOS.registerWorkflow(workflow, { name: 'workflow' });
DBOS.setConfig({ name: 'peer', systemDatabaseUrl: process.env.PEER_POSTGRES_URL, logLevel: 'error' });
await DBOS.launch();

await measured(
  async (name) => {
    const handle = await DBOS.startWorkflow(registered, { workflowID: name })();
    expect_equal(await handle.getResult(), (steps * (steps - 1)) / 2, `result of ${name}`);
  },
  () => DBOS.shutdown(),
);
