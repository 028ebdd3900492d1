-- The version of a note, which a client that changes it must know.
alter table notes add column version integer not null default 1;

-- The records of writes with a key, by which a repetition is recognised.
create table blazon_idempotency (key text primary key, record text not null, ends_at bigint not null);
create index blazon_idempotency_ends on blazon_idempotency (ends_at);
grant select, insert, update, delete on blazon_idempotency to app_all_tenants;
