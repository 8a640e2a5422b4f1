import type { Site } from './client';

export type Feature = keyof Site['features'];

export type Texts = Readonly<Record<string, string>>;

/** What the server says of the site in the page itself, so that nothing of the frame changes later. */
interface Frame {
  name?: string;
  /** The site's own language. */
  language?: string;
  registration?: Site['registration'];
  /** What the site does without. */
  off?: readonly Feature[];
  /** Texts of the site by language tag. */
  headline?: Texts;
  welcome?: Texts;
  banner?: Texts;
  /** Of the home page; none for the storefront's own. */
  sections?: Site['sections'];
  /** The languages of the site that there are pages in; all of the build where the server says none. */
  languages?: string[];
  /** The addresses of what the app says in the operator's own languages. */
  texts?: Readonly<Record<string, string>>;
  /** The operator's logo, if there is one. */
  logo?: string;
  /** The operator's map tiles, if there are any. */
  map?: { tiles: string; attribution: string };
  /** The operator's pages, such as the imprint; the language of each is empty where its file names none. */
  pages?: { slug: string; language: string; title: string; place: string }[];
  /** The most records of a page of any list. */
  most?: number;
}

function frameOfPage(): Frame {
  try {
    return JSON.parse(document.getElementById('site')?.textContent ?? '{}');
  } catch {
    return {}; // The page is not the server's: `npm run dev`.
  }
}

export const frame = frameOfPage();
