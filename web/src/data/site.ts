import { computed, signal } from '@preact/signals';
import { client, type Site } from './client';
import { frame } from './frame';

export const { logo, map: operatorMap } = frame;

/** As many records as a page is to show, or as many as the operator allows. */
export const pageOf = (size: number): number => Math.min(size, frame.most ?? size);

/** The operator's pages, each in the language of the reader where there is one. */
export function pageLinks(language: string): { href: string; title: string }[] {
  const best = new Map<string, { language: string; title: string }>();
  const rank = (tag: string): number => (tag.split('-')[0] === language ? 2 : tag === '' ? 1 : 0);
  for (const page of frame.pages ?? []) {
    const before = best.get(page.slug);
    if (!before || rank(page.language) > rank(before.language)) best.set(page.slug, page);
  }
  return [...best].map(([slug, page]) => ({
    href: `/pages/${page.language ? `${slug}.${page.language}` : slug}`,
    title: page.title,
  }));
}

/** The answer of `GET /site`; until it is loaded, defaults apply. */
export const site = signal<Site | null>(null);
export const siteName = computed(() => site.value?.name ?? frame.name ?? 'adsvc');
export const currency = computed(() => site.value?.currency ?? 'EUR');

export function limit(name: keyof NonNullable<Site['limits']>, usual: number): number {
  return site.value?.limits[name] ?? usual;
}

export async function loadSite(): Promise<void> {
  site.value = await client.getSite();
}
