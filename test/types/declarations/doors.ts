// Imports the doors only, so that all their declaration files are checked, and no files of other libraries.
export * from 'blazon'
export * from 'blazon/jwt'
export * from 'blazon/keys'
export * from 'blazon/otel'
export * from 'blazon/redis'
export * from 'blazon/testing'
export * from 'blazon/typeorm'
export * from 'blazon/vite'
