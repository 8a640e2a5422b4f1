import { signal } from '@preact/signals';

/** The ad that was published last, while its page is still the one that is shown. */
export const published = signal<number | null>(null);
