/** The operator's pages of the menu. */
import type { JSX } from 'preact';
import { pageLinks, siteName } from '../data/site';
import { language } from '../i18n';

export function PageMenu(): JSX.Element {
  return (
    <nav class="site-menu" aria-label={siteName.value}>
      <ul>
        {pageLinks(language.value, 'menu').map(({ href, title }) => (
          <li key={href}>
            <a href={href} data-leave>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
