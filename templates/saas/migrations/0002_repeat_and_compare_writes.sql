-- The version of a note. A client that changes the note must send the version that it has read.
alter table notes add column version integer not null default 1;

-- The records of writes with an idempotency key, so that a repeated write is recognized.
create table blazon_idempotency (key text primary key, record text not null, ends_at bigint not null);
create index blazon_idempotency_ends on blazon_idempotency (ends_at);
grant select, insert, update, delete on blazon_idempotency to app_all_tenants;
