import { Component, type ReactNode } from 'react';
import { toast } from '@/components/ui/toast';

interface DialogBoundaryProps {
  onFail: () => void;
  children: ReactNode;
}

/**
 * Catches a dialog that fails to load, for example because an update of the server renamed its files. The page stays.
 */
export class DialogBoundary extends Component<DialogBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(): void {
    toast.error('This could not be opened', { description: 'Reload the page, then try again.' });
    this.props.onFail();
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}
