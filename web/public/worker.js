// The service worker: it shows notifications, and keeps the app and the last public ads for a time without a network.
// With a network nothing comes from what is kept, except files whose names have a hash of their content.
const HOME = '/my/notifications';
// A page of the app without a first view of its own.
const SHELL = '/account';
const OFFLINE = '/offline.html';

// The build puts its files here, and a name that changes with them.
const FILES = [];
const VERSION = 'built';

const APP = `app-${VERSION}`;
const SEEN = 'seen';

// What is kept of what was seen: answers that anyone may read, and their pictures.
const PUBLIC =
  /^\/(ads(\/suggest|\/facets|\/\d+(\/[a-z]+)?)?|categories(\/[a-z0-9-]+\/schema)?|site|images\/.+|pages\/.+)$/;
const MOST = 200;
// Bytes. Originals of pictures are larger, and would take the room of drafts.
const LARGEST = 512 * 1024;

self.addEventListener('install', (event) => {
  // Files of the build are kept by the browser already, so this costs little.
  const fill = async () => {
    const cache = await caches.open(APP);
    await cache.addAll([SHELL, OFFLINE, ...FILES.filter(wanted)]);
    await self.skipWaiting();
  };
  event.waitUntil(fill());
});

/** Words are of the languages that the browser is set to. */
function wanted(name) {
  const language = /^\/assets\/(de|ru)-/.exec(name)?.[1];
  return !language || navigator.languages.some((tag) => tag.toLowerCase().startsWith(language));
}

self.addEventListener('activate', (event) => {
  const tidy = async () => {
    const names = await caches.keys();
    await Promise.all(
      names.filter((name) => name !== APP && name !== SEEN).map((name) => caches.delete(name)),
    );
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // What is sent by an account, what changes something, and other sites: none of it is touched.
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.headers.has('authorization') || request.headers.has('range')) return;
  if (url.pathname.startsWith('/assets/')) event.respondWith(file(request));
  else if (PUBLIC.test(url.pathname)) event.respondWith(seen(event));
  else if (request.mode === 'navigate') event.respondWith(page(request, url));
});

async function file(request) {
  const kept = await caches.match(request, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(APP)).put(request, answer.clone());
  return answer;
}

/** From the network, and only without one as it was last seen. */
async function seen(event) {
  const { request } = event;
  try {
    const answer = await fetch(request);
    // A proxy answers for a service that is away.
    if (answer.status === 502 || answer.status === 504) throw new Error(`status ${answer.status}`);
    if (mayKeep(answer)) {
      const copy = answer.clone();
      event.waitUntil(keep(request, copy));
    } else if (answer.status === 404 || answer.status === 410) {
      // What was removed is not shown again.
      event.waitUntil(caches.open(SEEN).then((cache) => cache.delete(request, { ignoreVary: true })));
    }
    return answer;
  } catch (error) {
    const kept = await caches.match(request, { ignoreVary: true });
    if (kept) return request.mode === 'navigate' ? kept : marked(kept);
    if (request.mode === 'navigate') return offlinePage();
    throw error;
  }
}

/** With the time at which it was true, so that pages do not show it as the present state. */
function marked(kept) {
  const headers = new Headers(kept.headers);
  headers.set('kept-since', kept.headers.get('date') ?? '');
  return new Response(kept.body, { status: kept.status, headers });
}

function mayKeep(answer) {
  const caching = answer.headers.get('cache-control') ?? '';
  return (
    answer.status === 200 &&
    answer.type === 'basic' &&
    Number(answer.headers.get('content-length')) <= LARGEST &&
    /public/.test(caching) &&
    !/no-store|private/.test(caching)
  );
}

async function keep(request, answer) {
  const cache = await caches.open(SEEN);
  // Kept anew it is the last, so the first are those that were not seen for longest.
  await cache.delete(request, { ignoreVary: true });
  await cache.put(request, answer);
  const all = await cache.keys();
  await Promise.all(
    all.slice(0, Math.max(0, all.length - MOST)).map((old) => cache.delete(old, { ignoreVary: true })),
  );
}

/** A page of the app begins from what is kept of it; its data may be kept too. */
async function page(request, url) {
  try {
    return await fetch(request);
  } catch {
    const ours = /^\/(a\/|c\/|search|post|my|messages|account|seller|$)/.test(url.pathname);
    return (ours && (await caches.match(SHELL, { ignoreVary: true }))) || offlinePage();
  }
}

async function offlinePage() {
  return (await caches.match(OFFLINE, { ignoreVary: true })) ?? Response.error();
}

self.addEventListener('push', (event) => {
  const { title, body, url, tag, silent = false } = event.data.json();
  const options = { body, tag, silent, icon: '/icons/192.png', data: url ?? HOME };
  event.waitUntil(self.registration.showNotification(title, options));
});

async function open(url) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((one) => one.url === url);
  return page ? page.focus() : self.clients.openWindow(url);
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { href, origin } = new URL(event.notification.data, self.location.origin);
  event.waitUntil(open(origin === self.location.origin ? href : HOME));
});
