import { expect, it } from 'vitest';
import { unreadEvents } from '../src/data/unread';

it('numbers of unread notifications are read from a stream, wherever its pieces begin', async () => {
  const text = [
    ': \n\n',
    'id: a\nevent: unread\ndata: {"notifications":2}\n\n',
    'id: b\nevent: notification\ndata: {"id":1,"ad":{"title":"event: unread"}}\n\n',
    'id: c\nevent: unread\ndata: {"notifications":13}\n\n',
    'id: d\nevent: unread\ndata: {"notif',
  ].join('');
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 7, 64, bytes.length]) {
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const found: number[] = [];
    for await (const count of unreadEvents(pieces)) found.push(count);
    expect(found, `pieces of ${size}`).toEqual([2, 13]);
  }
});
