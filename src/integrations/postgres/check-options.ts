import type { PostgresOptions } from './postgres-options.js'
export function checkPostgresOptions(_subject: string, _options: PostgresOptions): void {}
