import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../elements/icon';
import { t } from '../../i18n';
import type { AdForm } from './toRequest';

/** The place of the thing, from the browser; others see a point about a kilometre off. */
export function Position({
  location,
  onChange,
}: {
  location: AdForm['location'];
  onChange: (location: AdForm['location']) => void;
}): JSX.Element {
  const [failed, setFailed] = useState(false);
  function locate(): void {
    setFailed(false);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => onChange({ latitude: coords.latitude, longitude: coords.longitude }),
      () => setFailed(true),
      { timeout: 10_000 },
    );
  }
  return (
    <div class="row position-row">
      {location ? (
        <>
          <span class="faint">
            <Icon name="place" />
            {t('form.located')}
          </span>
          <button type="button" class="plain" onClick={() => onChange(null)}>
            {t('form.notLocated')}
          </button>
        </>
      ) : (
        'geolocation' in navigator && (
          <button type="button" class="plain" onClick={locate}>
            <Icon name="place" />
            {t('form.locate')}
          </button>
        )
      )}
      {failed && (
        <p class="error" role="alert">
          {t('near.failed')}
        </p>
      )}
    </div>
  );
}
