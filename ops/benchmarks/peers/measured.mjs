// SPDX-License-Identifier: Apache-2.0
// What every peer does: keeps so many workflows going, and tells how far it is. "count" on standard input is
// answered with a line of JSON; "stop" ends it when the workflows under way have ended.
import readline from 'node:readline';

export const counts = { steps: 0, workflows: 0 };

const tell = () => process.stdout.write(JSON.stringify(counts) + '\n');

// `one(name)` runs a workflow to its end and throws if it is not right; steps are counted where they are done.
export async function measured(one, end) {
  const concurrency = Number(process.argv[2]);
  let going = true;
  const fail = (error) => {
    console.error(error);
    process.exit(1);
  };
  const lane = async (number) => {
    for (let turn = 0; going; turn += 1) {
      await one(`workflow-${number}-${turn}`);
      counts.workflows += 1;
    }
  };
  const lanes = Promise.all(Array.from({ length: concurrency }, (_, number) => lane(number))).catch(fail);
  tell();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (line === 'stop') break;
    tell();
  }
  going = false;
  await lanes;
  await end();
  tell();
  process.exit(0);
}

export function expect_equal(seen, wanted, what) {
  if (seen !== wanted) throw new Error(`${what}: ${seen}, not ${wanted}`);
}
