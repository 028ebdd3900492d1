/** The number of an advisory lock. The commit of a row whose note begins with `held` waits for the lock. */
export const HELD_COMMITS = 4711

const TENANT = "nullif(current_setting('app.tenant_id', true), '')"

/** A table of tenants, as the documentation shows it. Written by hand, because other tests test `tenantTable()`. */
export function tenantTable(name: string, lines: readonly string[]): string {
  return `
create table ${name} (
  tenant_id text not null default ${TENANT},
  ${lines.join(',\n  ')}
);
alter table ${name} enable row level security;
alter table ${name} force row level security;
create policy ${name}_tenant on ${name} to app_tenant
  using (tenant_id = (select ${TENANT})) with check (tenant_id = (select ${TENANT}));
create policy ${name}_all_tenants on ${name} to app_all_tenants using (true) with check (true);
grant select, insert, update, delete on ${name} to app_tenant, app_all_tenants;`
}

const role = (name: string, how: string) =>
  `do $$ begin create role ${name} ${how}; exception when duplicate_object then null; end $$;`

/** The roles, tables and functions that the suite needs. The superuser runs this script. */
export const SCHEMA: string = `
${role('app_tenant', 'nologin')}
${role('app_all_tenants', 'nologin')}
${tenantTable('orders', [
  'id bigint generated always as identity',
  "note text not null default ''",
  'amount integer not null default 1',
  'code text',
  'number text',
  'primary key (tenant_id, id)',
  'constraint orders_code_key unique (tenant_id, code)',
  'constraint orders_number_key unique (tenant_id, number) deferrable initially deferred',
])}
${tenantTable('items', [
  'id bigint generated always as identity',
  'order_id bigint not null',
  'primary key (tenant_id, id)',
  'constraint items_order_fkey foreign key (tenant_id, order_id) references orders on delete cascade',
])}
create table plans (name text primary key);
insert into plans values ('small'), ('large');
grant select on plans to app_tenant, app_all_tenants;
comment on table plans is 'blazon: shared';
create function wait_to_commit() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${HELD_COMMITS});
  return null;
end $$;
create function count_orders() returns integer language sql as 'select count(*)::integer from orders';
create constraint trigger orders_held after insert on orders deferrable initially deferred
  for each row when (new.note like 'held%') execute function wait_to_commit();
`
