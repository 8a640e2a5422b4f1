/** The logo and the icon of the site. Each is in effect as soon as it is chosen. */
import type { JSX } from 'preact';
import { useAction } from '../data/action';
import { type AdministeredSite, client } from '../data/client';
import { Icon } from '../elements/icon';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { showSiteChange } from './queries';

const PICTURES = ['logo', 'icon'] as const;
type PictureMember = (typeof PICTURES)[number];

const CHANGES = {
  logo: (file: File | null) => (file ? client.replaceSiteLogo(file) : client.removeSiteLogo()),
  icon: (file: File | null) => (file ? client.replaceSiteIcon(file) : client.removeSiteIcon()),
};

export function SitePictures({ site }: { site: AdministeredSite }): JSX.Element {
  return (
    <>
      {PICTURES.map((member) => (
        <OnePicture key={member} member={member} path={site[member]} isFixed={site.fixed.includes(member)} />
      ))}
    </>
  );
}

function OnePicture({
  member,
  path,
  isFixed,
}: {
  member: PictureMember;
  path: string | null;
  isFixed: boolean;
}): JSX.Element {
  const action = useAction(
    async (file: File | null) => {
      await CHANGES[member](file);
      await showSiteChange();
    },
    { repeatable: true },
  );
  const id = `site-${member}`;
  return (
    <section class="field" aria-label={t(`site.${member}`)}>
      <div class="row">
        {path && <img src={path} alt={t(`site.${member}`)} height="48" />}
        <span class="file">
          <input
            id={id}
            type="file"
            accept="image/jpeg,image/png,image/webp"
            aria-describedby={`${id}-hint`}
            disabled={action.busy || isFixed}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file) void action.run(file);
            }}
          />
          <label for={id} class="button">
            <Icon name="camera" />
            {t(`site.${member}Choose`)}
          </label>
        </span>
        {path && !isFixed && (
          <button type="button" disabled={action.busy} onClick={() => void action.run(null)}>
            {t(`site.${member}Remove`)}
          </button>
        )}
      </div>
      <p class="hint" id={`${id}-hint`}>
        {t(isFixed ? 'site.fixed' : `site.${member}Hint`)}
      </p>
      <FaultNotice fault={action.fault} limited={action.limited} />
    </section>
  );
}
