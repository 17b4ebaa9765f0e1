// What Mantine needs of a browser and jsdom lacks: run before the tests of pages.
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), { media, matches: false, onchange: null }) as MediaQueryList;
