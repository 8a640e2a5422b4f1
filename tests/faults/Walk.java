import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Walks through the service as a program does that uses the JDK's client as it comes, which offers
 * HTTP/2 with each request. Arguments: the service's address, a picture, a user name.
 */
class Walk {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String BOUNDARY = "frontier";
    private static String base;
    private static String token;

    public static void main(String[] arguments) throws Exception {
        base = arguments[0];
        byte[] picture = Files.readAllBytes(Path.of(arguments[1]));
        String name = arguments[2];
        String account = "{\"username\": \"" + name + "\", \"password\": \"correct horse battery\"}";
        String comment = "{\"text\": \"Is it still there?\"}";

        json("POST", "/register", account, 201);
        json("POST", "/login", "{\"username\": \"" + name + "\", \"password\": \"a wrong one\"}", 401);
        token = member("access_token", json("POST", "/login", account, 200));

        String ad = "/ads/" + member("pk", form("POST", "/ads", picture, 201));
        String second = "/ads/" + member("pk", form("POST", "/ads", picture, 201));
        expect("4", member("count", json("GET", "/ads", null, 200)));
        json("GET", "/ads/me", null, 200);
        json("PATCH", ad, "{\"price\": 7}", 200);
        expect("7", member("price", json("GET", ad, null, 200)));
        form("PATCH", ad + "/image", picture, 200);

        String comments = ad + "/comments";
        String made = comments + "/" + member("pk", json("POST", comments, comment, 200));
        json("GET", comments, null, 200);
        json("PATCH", made, comment, 200);
        json("GET", made, null, 200);
        json("DELETE", made, null, 204);

        json("PATCH", "/users/me", "{\"firstName\": \"Anna\"}", 200);
        form("PATCH", "/users/me/image", picture, 200);
        expect("\"Anna\"", member("firstName", json("GET", "/users/me", null, 200)));
        String change = "{\"currentPassword\": \"correct horse battery\", \"newPassword\": \"another one, as good\"}";
        token = member("access_token", json("POST", "/users/set_password", change, 200));

        json("DELETE", second, null, 204);
        json("DELETE", ad, null, 204);
        json("GET", ad, null, 404);
        System.out.println("walked");
    }

    private static String json(String method, String path, String text, int status) throws Exception {
        byte[] body = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        String first = send(method, path, "application/json", body, false, status);
        // Once more without a length, in chunks, where doing it twice does no harm.
        if (method.equals("PATCH")) {
            send(method, path, "application/json", body, true, status);
        }
        return first;
    }

    private static String form(String method, String path, byte[] picture, int status) throws Exception {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        String part = "--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=";
        if (path.equals("/ads")) {
            String properties = "{\"title\": \"Oak table\", \"price\": 15, \"description\": \"Solid oak, one scratch.\"}";
            body.writeBytes((part + "\"properties\"\r\n\r\n" + properties + "\r\n").getBytes());
        }
        body.writeBytes((part + "\"image\"; filename=\"a.jpg\"\r\n\r\n").getBytes());
        body.writeBytes(picture);
        body.writeBytes(("\r\n--" + BOUNDARY + "--\r\n").getBytes());
        String type = "multipart/form-data; boundary=" + BOUNDARY;
        send(method, path, type, body.toByteArray(), true, status);
        return send(method, path, type, body.toByteArray(), false, status);
    }

    private static String send(
            String method, String path, String type, byte[] body, boolean inChunks, int status)
            throws Exception {
        BodyPublisher publisher = BodyPublishers.noBody();
        if (body != null && inChunks) {
            publisher = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
        } else if (body != null) {
            publisher = BodyPublishers.ofByteArray(body);
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path)).method(method, publisher);
        if (body != null) {
            request.header("Content-Type", type);
        }
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<byte[]> answer = CLIENT.send(request.build(), BodyHandlers.ofByteArray());
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        if (answer.statusCode() != status) {
            throw new IllegalStateException(method + " " + path + ": " + answer.statusCode() + " " + text);
        }
        return text;
    }

    private static String member(String name, String record) {
        Matcher found = Pattern.compile("\"" + name + "\": ?(\"[^\"]*\"|[0-9]+)").matcher(record);
        if (!found.find()) {
            throw new IllegalStateException("no " + name + " in " + record);
        }
        return name.endsWith("token") ? found.group(1).replace("\"", "") : found.group(1);
    }

    private static void expect(String wanted, String got) {
        if (!wanted.equals(got)) {
            throw new IllegalStateException(got + " instead of " + wanted);
        }
    }
}
