import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { type ControlDescription, SEVERITIES } from '@/lib/oauth/controls/control';

/** The catalogue in words, the most severe first: what a page shows, without the code that probes. */
export function describeCatalogue(): ControlDescription[] {
  return CATALOGUE.map(({ evaluate: _, ...description }) => description).sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
}
