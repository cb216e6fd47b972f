// The theme: as the system, light, or dark. A cookie tells the server, so that the first paint is right.

import { announce, prefer, preference } from './dom.js';

const NEXT = { '': 'light', light: 'dark', dark: '' };
const NAMES = { '': 'The theme follows the system', light: 'Light theme', dark: 'Dark theme' };

export function changeTheme() {
  const theme = NEXT[preference('theme')] ?? '';
  prefer('theme', theme);
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  announce(NAMES[theme]);
}
