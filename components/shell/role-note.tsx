'use client';

import { Eye } from 'lucide-react';
import { useMay } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Says why the buttons beside it cannot be pressed; nothing when the person's role reaches `needs`. */
export function RoleNote({ needs }: { needs: MemberRole }) {
  return useMay(needs) ? null : (
    <Badge variant="outline">
      <Eye aria-hidden /> changes need the role {needs}
    </Badge>
  );
}
