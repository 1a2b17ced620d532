/*
 * Runs before any module of a page. The content security policy forbids `eval`, and zod's trying it would be reported;
 * schemas ask for this setting when they are made, so it has to be there first.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
