import dynamic from 'next/dynamic';

/** Asks before a change that cannot be undone. Fetched when it is first needed. */
export const ConfirmDialog = dynamic(() => import('@/components/form/confirmation'), { ssr: false });
