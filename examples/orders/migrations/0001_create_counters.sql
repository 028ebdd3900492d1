-- For each shop and kind of row, the highest number that has been assigned.
create table counters (
  tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
  id text not null,
  highest integer not null,
  primary key (tenant_id, id)
);

-- The index of the primary key begins with tenant_id: these policies use it.
alter table counters enable row level security;
alter table counters force row level security;
create policy counters_tenant on counters to app_tenant
  using (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')))
  with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
create policy counters_all_tenants on counters to app_all_tenants
  using (true) with check (true);
grant select, insert, update, delete on counters to app_tenant, app_all_tenants;

-- Every shop numbers its rows from 1, so that a number does not reveal how many rows other shops have.
create function next_number(kind text) returns integer language sql as $$
  insert into counters (id, highest) values (kind, 1)
  on conflict (tenant_id, id) do update set highest = counters.highest + 1
  returning highest
$$;
