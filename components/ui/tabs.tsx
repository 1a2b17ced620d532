import { Tabs as Primitive } from 'radix-ui';
import { wrapWithStyle } from '@/components/ui/cn';

export const Tabs = Primitive.Root;
export const TabsList = /* @__PURE__ */ wrapWithStyle(
  Primitive.List,
  'flex items-center gap-3 overflow-x-auto border-b',
);
export const TabsTrigger = /* @__PURE__ */ wrapWithStyle(
  Primitive.Trigger,
  '-mb-px inline-flex h-9 items-center gap-1.5 rounded-t-sm border-b-2 px-1 border-transparent text-sm font-medium whitespace-nowrap text-muted-foreground transition-colors hover:text-foreground focus-visible:-outline-offset-3 data-[state=active]:border-primary data-[state=active]:text-foreground',
);
export const TabsContent = /* @__PURE__ */ wrapWithStyle(Primitive.Content, 'pt-4');
