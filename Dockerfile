# A server of tables: docker build -t tables . && docker run -p 127.0.0.1:8642:8642 -v tables:/tables tables
FROM python:3.13-slim
RUN --mount=type=bind,target=/source,rw pip install --no-cache-dir '/source[host]'
RUN useradd player && install -d -o player /tables
USER player
VOLUME /tables
EXPOSE 8642
ENTRYPOINT ["rulesdsl", "host", "--bind", "0.0.0.0", "--tables", "/tables/tables.db"]
CMD ["base", "--address", "http://localhost:8642"]
