// The service worker: it shows notifications, and does nothing else. No page and no request goes through it.
const HOME = '/my/notifications';

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data.json();
  const options = { body, tag, data: url ?? HOME };
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
