import { GraduationCap } from 'lucide-react';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Button } from '@/components/ui/button';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';

/** Button that opens the lesson of a control. `title` is that of the control. */
export function LessonButton({ id, title }: { id: ControlSwitch; title: string }) {
  const { openLesson } = useBuilder();
  return (
    <Button
      variant="ghost"
      size="sm"
      className="-ml-1.5 h-6 px-1.5 align-middle text-xs text-primary"
      aria-label={`Show me: ${title}`}
      onClick={() => void openLesson(id)}
    >
      <GraduationCap aria-hidden /> Show me
    </Button>
  );
}
