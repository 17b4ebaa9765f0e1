# The built frontend and the one port of the application: pages from here, /api from the API.
FROM node:22-slim AS build
WORKDIR /frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY frontend ./
COPY docs /docs
RUN npm run build

FROM nginx:1.27-alpine
COPY docker/nginx.conf /etc/nginx/nginx.conf
COPY --from=build /frontend/dist /usr/share/nginx/html
EXPOSE 80
