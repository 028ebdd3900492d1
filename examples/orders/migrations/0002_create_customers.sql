create table customers (
  tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
  id integer not null default next_number('customers'),
  name text not null,
  email text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, email)
);

-- The index of the primary key begins with tenant_id: these policies use it.
alter table customers enable row level security;
alter table customers force row level security;
create policy customers_tenant on customers to app_tenant
  using (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')))
  with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
create policy customers_all_tenants on customers to app_all_tenants
  using (true) with check (true);
grant select, insert, update, delete on customers to app_tenant, app_all_tenants;
