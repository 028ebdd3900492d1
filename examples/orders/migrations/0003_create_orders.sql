create table orders (
  tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
  id integer not null default next_number('orders'),
  customer_id integer not null,
  status text not null check (status in ('open', 'paid', 'cancelled')),
  street text not null,
  city text not null,
  country text not null,
  -- In cents, like all amounts.
  total bigint not null,
  placed_by text not null,
  placed_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id)
);
create index on orders (tenant_id, customer_id);

-- The index of the primary key begins with tenant_id: these policies use it.
alter table orders enable row level security;
alter table orders force row level security;
create policy orders_tenant on orders to app_tenant
  using (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')))
  with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
create policy orders_all_tenants on orders to app_all_tenants
  using (true) with check (true);
grant select, insert, update, delete on orders to app_tenant, app_all_tenants;

create table order_lines (
  tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''),
  order_id integer not null,
  position integer not null,
  sku text not null,
  quantity integer not null check (quantity > 0),
  unit_price integer not null check (unit_price >= 0),
  primary key (tenant_id, order_id, position),
  foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
);

-- The index of the primary key begins with tenant_id: these policies use it.
alter table order_lines enable row level security;
alter table order_lines force row level security;
create policy order_lines_tenant on order_lines to app_tenant
  using (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')))
  with check (tenant_id = (select nullif(current_setting('app.tenant_id', true), '')));
create policy order_lines_all_tenants on order_lines to app_all_tenants
  using (true) with check (true);
grant select, insert, update, delete on order_lines to app_tenant, app_all_tenants;
