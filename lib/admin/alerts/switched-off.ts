/** Resolution of all alerts of an event that the settings switch off. */
export const SWITCHED_OFF = 'Alerts of this kind were switched off.';
