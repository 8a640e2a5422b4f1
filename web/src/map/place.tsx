/** The map of one ad: its place is somewhere in the circle. */
import type { JSX } from 'preact';
import { operatorMap } from '../data/site';
import { t } from '../i18n';
import { MapFrame } from './frame';
import { boxOfCircle, type Circle } from './geometry';

/** Without streets one has to see the towns around, in metres. */
const AROUND = operatorMap ? 1500 : 12_000;

export function PlaceMap({ circle, place }: { circle: Circle; place: string }): JSX.Element {
  return (
    <MapFrame
      begin={boxOfCircle({ ...circle, radius: AROUND })}
      circle={circle}
      still
      label={place ? t('map.circle', { place }) : t('map.circlePlain')}
    />
  );
}
