import { computed, signal } from '@preact/signals';
import { client, type Site } from './client';

/** What is told of the site; until it has come, what is usual. */
export const site = signal<Site | null>(null);
export const siteName = computed(() => site.value?.name ?? 'adsvc');
export const currency = computed(() => site.value?.currency ?? 'EUR');

export function limit(name: keyof NonNullable<Site['limits']>, usual: number): number {
  return site.value?.limits[name] ?? usual;
}

export async function loadSite(): Promise<void> {
  site.value = await client.getSite();
}
