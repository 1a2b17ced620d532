import { Download } from 'lucide-react';
import { Button } from '@/components/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu';

const FORMATS = { csv: 'CSV', jsonl: 'JSON Lines' } as const;

/** Downloads everything that matches the filters from the API. */
export function ExportMenu({ href }: { href: (format: keyof typeof FORMATS) => string }) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline" aria-label="Export">
          <Download aria-hidden />
          <span className="max-sm:hidden">Export</span>
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuLabel>Everything that matches</DropdownMenuLabel>
        {(['csv', 'jsonl'] as const).map((format) => (
          <DropdownMenuItem key={format} asChild>
            <a href={href(format)} download>
              {FORMATS[format]}
            </a>
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
