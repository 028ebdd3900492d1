create table notes (
  tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
  id uuid not null default gen_random_uuid(),
  text text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

-- The index of the primary key begins with tenant_id: these policies use it.
alter table notes enable row level security;
alter table notes force row level security;
create policy notes_tenant on notes to app_tenant
  using (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')))
  with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
create policy notes_all_tenants on notes to app_all_tenants
  using (true) with check (true);
grant select, insert, update, delete on notes to app_tenant, app_all_tenants;
