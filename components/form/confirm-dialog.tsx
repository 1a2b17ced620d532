'use client';

import dynamic from 'next/dynamic';

/**
 * Asks before something that cannot be taken back. Stays open while `onConfirm` is at work, and when it fails, with the
 * reason. Fetched when it is asked for first.
 */
export const ConfirmDialog = dynamic(() => import('@/components/form/confirmation').then((file) => file.Confirmation), {
  ssr: false,
});
