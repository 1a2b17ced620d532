/** Puts the first letter of a text in upper case. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Puts the first letter of a text in lower case. */
export const uncapitalize = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
