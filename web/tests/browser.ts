// What modules look at when they are loaded; tests of pages are in e2e, in a browser.
Object.defineProperty(globalThis, 'navigator', { value: { languages: ['en-GB'], onLine: true } });
Object.defineProperty(globalThis, 'location', {
  value: new URL('http://localhost/'),
});
