import { NetworkError } from 'adsvc-client';
import { afterEach, expect, it } from 'vitest';
import { mayRetry, retryDelay, waiting } from '../src/data/connection';

afterEach(() => {
  waiting.value = null;
});

it('a lost connection is told and tried again for as long as it takes', () => {
  const lost = new NetworkError('No answer came.');
  expect(mayRetry(100, lost)).toBe(true);
  expect(retryDelay(0, lost)).toBe(1000);
  expect(retryDelay(50, lost)).toBe(15_000);
  expect(waiting.value?.reason).toBe('connection');
});

it('what is not tried again is not waited for', () => {
  const other = new Error('anything else');
  expect(mayRetry(0, other)).toBe(false);
  retryDelay(0, other);
  expect(waiting.value).toBeNull();
});
