import { computed, signal } from '@preact/signals';
import { client, type Site } from './client';

/** The answer of `GET /site`; until it is loaded, defaults apply. */
export const site = signal<Site | null>(null);
export const siteName = computed(() => site.value?.name ?? 'adsvc');
export const currency = computed(() => site.value?.currency ?? 'EUR');

export function limit(name: keyof NonNullable<Site['limits']>, usual: number): number {
  return site.value?.limits[name] ?? usual;
}

export async function loadSite(): Promise<void> {
  site.value = await client.getSite();
}
