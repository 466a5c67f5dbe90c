// SPDX-License-Identifier: Apache-2.0
// Restate's service: a handler of some steps. A step is an entry of the journal that the server has kept. The first
// line that it prints is its port.
import * as restate from '@restatedev/restate-sdk';

const peer = restate.service({
  name: 'peer',
  handlers: {
    run: async (context, steps) => {
      let sum = 0;
      for (let number = 0; number < steps; number += 1) {
        const { number: done } = await context.run('step', () => ({ number, text: 'x'.repeat(200) }));
        sum += done;
      }
      return sum;
    },
  },
});

console.log(await restate.serve({ services: [peer], port: 0 }));
