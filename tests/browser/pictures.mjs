// Makes the pictures of the README and the guide in `docs/pictures`, from a made-up project. Run it as the scenes are run,
// with `PICTURES` as the folder.

import { join } from 'node:path';

import { shop } from './project.mjs';
import { Stage, launch } from './stage.mjs';

const PIXELS = {
  board: '/board/1', lanes: '/board/1?group=epic', item: '/board/1?item=25', home: '/', list: '/board/1/list', timeline: '/board/1/timeline', epics: '/epics', milestone: '/milestone/1', inbox: '/review',
  code: '/code/src/cart/session.rs',
};

const browser = await launch();
const stage = await Stage.open(browser);
try {
  await shop(stage);
  for (const colorScheme of ['light', 'dark']) {
    const page = await stage.signedIn({ colorScheme, viewport: { width: 1440, height: 900 } });
    for (const [name, path] of Object.entries(PIXELS)) {
      await page.goto(stage.url + path);
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(process.env.PICTURES, `${name}-${colorScheme}.png`) });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${stage.url}/board/1`);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(process.env.PICTURES, `phone-${colorScheme}.png`) });
  }
} finally {
  await stage.close();
  await browser.close();
}
