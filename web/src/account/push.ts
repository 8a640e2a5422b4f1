/** Notifications by the browser, also while no page is open. Each device is turned on by itself. */
import { client } from '../data/client';
import { gone } from '../data/fault';
import { register } from '../data/worker';

export function pushPossible(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

export async function subscription(): Promise<PushSubscription | null> {
  if (!pushPossible()) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

const send = (to: PushSubscription): Promise<void> =>
  client.subscribeToPush(to.toJSON() as Parameters<typeof client.subscribeToPush>[0]);

/** The service may have forgotten this device, after it was away for long. */
export async function renewPush(): Promise<boolean> {
  const present = await subscription();
  if (present) await send(present);
  return present !== null;
}

/** Called by a press alone, for browsers ask the person only then. False if the person or the browser refuses. */
export async function turnPushOn(key: string): Promise<boolean> {
  if ((await globalThis.Notification.requestPermission()) !== 'granted') return false;
  await register();
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that was made with another key of the site cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe();
  await send(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  return true;
}

export async function turnPushOff(): Promise<void> {
  const present = await subscription();
  if (!present) return;
  try {
    await gone(client.unsubscribeFromPush({ endpoint: present.endpoint }));
  } finally {
    await present.unsubscribe();
  }
}
