import { NetworkError } from 'adsvc-client';
import { afterEach, expect, it, vi } from 'vitest';
import { mayRetry, retryDelay, waiting } from '../src/data/connection';

afterEach(() => {
  waiting.value = null;
  vi.useRealTimers();
});

it('a lost connection is told and tried again for as long as it takes', () => {
  const lost = new NetworkError('No answer came.');
  expect(mayRetry(100, lost)).toBe(true);
  expect(retryDelay(0, lost)).toBe(1000);
  expect(retryDelay(50, lost)).toBe(15_000);
});

it('the notice says why, and counts down to the moment of the next attempt', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  retryDelay(2, new NetworkError('No answer came.'));
  expect(waiting.value).toEqual({ reason: 'connection', until: 1_004_000 });
});

it('what is not tried again is not waited for', () => {
  const other = new Error('anything else');
  expect(mayRetry(0, other)).toBe(false);
  retryDelay(0, other);
  expect(waiting.value).toBeNull();
});
