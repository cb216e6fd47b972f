// Runs every scene with its own repository and server, and reports the results. The assertions are in `scenes`.

import { join } from 'node:path';

import * as code from './scenes/code.mjs';
import * as doors from './scenes/doors.mjs';
import * as failures from './scenes/failures.mjs';
import * as files from './scenes/files.mjs';
import * as hostile from './scenes/hostile.mjs';
import * as items from './scenes/items.mjs';
import * as layout from './scenes/layout.mjs';
import * as live from './scenes/live.mjs';
import * as looks from './scenes/looks.mjs';
import * as moves from './scenes/moves.mjs';
import * as places from './scenes/places.mjs';
import * as plans from './scenes/plans.mjs';
import * as starts from './scenes/starts.mjs';
import * as views from './scenes/views.mjs';
import * as weight from './scenes/weight.mjs';
import { Stage, launch } from './stage.mjs';

const browser = await launch();
const only = process.argv[2] ?? '';
let n_failed = 0;
let n_played = 0;
for (const scenes of [doors, starts, moves, plans, items, files, views, code, live, places, failures, layout, looks, weight, hostile]) {
  for (const [name, play] of Object.entries(scenes)) {
    if (!name.includes(only)) continue;
    n_played += 1;
    const start = Date.now();
    let stage;
    let failure;
    try {
      stage = await Stage.open(browser);
      await play(stage);
    } catch (error) {
      failure = error;
      const page = browser.contexts().at(-1)?.pages()[0];
      await page?.screenshot({ path: join(process.env.BROWSER_SHOTS, `failed-${name}.png`) }).catch(() => {});
    } finally {
      await stage?.close();
    }
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    console.log(`${failure ? 'FAILED' : 'passed'}  ${seconds.padStart(5)} s  ${name.replaceAll('_', ' ')}`);
    if (failure) console.log(failure.stack);
    n_failed += failure ? 1 : 0;
  }
}
await browser.close();
if (n_played === 0) console.log(`no scene is called ${only}`);
process.exit(n_failed > 0 || n_played === 0 ? 1 : 0);
