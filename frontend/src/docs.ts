// The page of the API's own documentation.
import { SwaggerUIBundle } from "swagger-ui-dist";
import style from "swagger-ui-dist/swagger-ui.css?url";

const link = document.createElement("link");
link.rel = "stylesheet";
link.href = style;
document.head.append(link);
SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#root", deepLinking: true });
