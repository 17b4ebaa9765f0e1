#!/bin/sh
# Run once, when the cluster is made: the application's role is an ordinary one (docs/security.md).
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$ROLE_PASSWORD" --username=postgres <<'SQL'
CREATE ROLE patina LOGIN PASSWORD :'password';
CREATE DATABASE patina OWNER patina;
SQL
