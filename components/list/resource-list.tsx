import { Plus } from 'lucide-react';
import { ExportMenu, FilterBar } from '@/components/list/filter-bar';
import { ListRows } from '@/components/list/list-rows';
import { ListTabs } from '@/components/list/list-tabs';
import { type ResourceDeclaration, type ResourceListState, useResourceList } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { PageHeader } from '@/components/shell/page-header';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Shows a list of the API. */
export function ResourceList<Row>({ declaration }: { declaration: ResourceDeclaration<Row> }) {
  return <ListView list={useResourceList(declaration)} />;
}

interface ListViewProps<Row> {
  list: ResourceListState<Row>;
  newer?: readonly Row[];
}

/** Header, tabs, filters, export and table of a list, with a button that loads the next page. */
export function ListView<Row>({ list, newer }: ListViewProps<Row>) {
  const { title, description, needs, add, label, tabs, search, exported } = list.declaration;
  const button = add ? <AddButton add={add} needs={needs ?? 'viewer'} /> : null;
  return (
    <>
      {title ? <PageHeader title={title} description={description} needs={needs} actions={button} /> : null}
      {tabs && list.tab ? <ListTabs label={label} value={list.tab} onChange={list.setTab} tabs={tabs} /> : null}
      {search ? (
        <FilterBar list={list}>
          {exported ? <ExportMenu href={list.download} /> : null}
          {title ? null : button}
        </FilterBar>
      ) : null}
      <ListRows list={list} newer={newer} button={button} />
    </>
  );
}

function AddButton(props: { add: NonNullable<ResourceDeclaration<never>['add']>; needs: MemberRole }) {
  const { add, needs } = props;
  const open = useDialog();
  const content = (
    <>
      <Plus aria-hidden /> {add.label}
    </>
  );
  if ('href' in add) {
    return (
      <Button asChild data-new>
        <Link href={add.href}>{content}</Link>
      </Button>
    );
  }
  return (
    <RoleButton data-new needs={needs} onClick={() => open((onClose) => <add.Dialog onClose={onClose} />)}>
      {content}
    </RoleButton>
  );
}
