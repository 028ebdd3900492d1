-- Each order has at most one receipt. A new receipt replaces the old receipt.
create table receipts (
  tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
  order_id integer not null,
  note text not null,
  type text not null,
  content bytea not null,
  added_at timestamptz not null,
  primary key (tenant_id, order_id),
  foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
);

-- The index of the primary key begins with tenant_id: these policies use it.
alter table receipts enable row level security;
alter table receipts force row level security;
create policy receipts_tenant on receipts to app_tenant
  using (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')))
  with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
create policy receipts_all_tenants on receipts to app_all_tenants
  using (true) with check (true);
grant select, insert, update, delete on receipts to app_tenant, app_all_tenants;
