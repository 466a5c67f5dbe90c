// SPDX-License-Identifier: Apache-2.0
// Restate's client: calls the handler of restate_service.mjs through the server and waits for each result. So a
// workflow's steps count when it has ended.
import * as clients from '@restatedev/restate-sdk-clients';
import { counts, expect_equal, measured } from './measured.mjs';

const steps = Number(process.argv[3]);
const client = clients.connect({ url: process.env.PEER_RESTATE_URL }).serviceClient({ name: 'peer' });

await measured(
  async (name) => {
    expect_equal(await client.run(steps), (steps * (steps - 1)) / 2, `result of ${name}`);
    counts.steps += steps;
  },
  async () => {},
);
